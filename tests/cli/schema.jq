# Every breach of schema 1, one string a breach: keys that are missing, values of the wrong type or
# outside their set. Keys beyond these are fine, the schema is only ever added to.
#

def size: ["whole"];
def maybe: ["whole", "null"];
def text: ["string"];
def text_or_null: ["string", "null"];

def finding: {
	id: text, severity: {of: ["error", "warning", "notice"]}, message: text, value: maybe, boundary: maybe,
	cost: {of: ["every-write", "ends", "none", null]}
};

def topology: {
	logical_block_size: maybe, physical_block_size: maybe, minimum_io_size: maybe, optimal_io_size: maybe,
	alignment_offset: ["whole", "minus", "null"]
};

def verdicts: {of: ["aligned", "misaligned", "unknown", "exempt"]};

def device: topology + {
	path: text, kind: {of: ["disk", "partition", "image", "table"]}, size: size, model: text_or_null,
	serial: text_or_null, rotational: ["boolean", "null"], zoned: text_or_null,
	sector_source: {of: ["kernel", "drive-list", "user", "table", "assumed", "measured"]},
	reported: ["object"], required_alignment: size, recommended_alignment: size, table: ["object"],
	verdict: verdicts, findings: ["array"], partitions: ["array"]
};

def table: {
	type: {of: ["dos", "gpt", "bsd", "sun", "sgi", "solaris", "none",
		"mac", "minix", "unixware", "aix", "ultrix", "atari", "kernel"]},
	id: text_or_null, sector_size: maybe
};

def partition: {
	number: size, name: text, node: text_or_null, parent: maybe, start: size, size: size,
	start_sector: maybe, sectors: maybe, type: text_or_null, uuid: text_or_null, label: text_or_null,
	alignment: size, misaligned_by: maybe, verdict: verdicts, content: ["array", "null"], findings: ["array"]
};

def content: {type: text, data_offset: maybe, block_size: maybe, misaligned_by: maybe, ashift: maybe};

def kind:
	if type != "number" then type
	elif . != floor then "fraction"
	elif . < 0 then "minus"
	else "whole" end;

def against($shape; $where):
	if type != "object" then "\($where): is \(type), not an object"
	else . as $value | $shape | to_entries[] | .key as $key | .value as $wanted |
		if ($value | has($key) | not) then "\($where).\($key): missing"
		else ($value[$key]) as $got |
			if ($wanted | type) == "array"
			then select($wanted | index($got | kind) | not) | "\($where).\($key): is \($got | kind), not \($wanted)"
			else select($wanted.of | index($got) | not) | "\($where).\($key): is \($got), not one of \($wanted.of)" end
		end
	end;

def each($list; f): if ($list | type) == "array" then $list | to_entries[] | f else empty end;

[
	against({alignck: ["object"], devices: ["array"], pool: ["object"], summary: ["object"]}; "document"),
	(.alignck | against({version: text, schema: {of: [1]}}; "alignck")),
	(.pool | against({ashift: maybe, mixed_logical: ["boolean", "null"], mixed_physical: ["boolean", "null"],
		consequences: ["array"], findings: ["array"]}; "pool")),
	each(.pool.findings; .key as $f | .value | against(finding; "pool.findings[\($f)]")),
	(.summary | against({devices: size, partitions: size, misaligned: size, unknown: size}; "summary")),
	each(.devices; .key as $d | "devices[\($d)]" as $at | .value |
		against(device; $at),
		(.reported | against(topology; "\($at).reported")),
		(.table | against(table; "\($at).table")),
		each(.findings; .key as $f | .value | against(finding; "\($at).findings[\($f)]")),
		each(.partitions; .key as $p | "\($at).partitions[\($p)]" as $in | .value |
			against(partition; $in),
			each(.findings; .key as $f | .value | against(finding; "\($in).findings[\($f)]")),
			each(.content; .key as $c | .value | against(content; "\($in).content[\($c)]"))))
] | .[]
