// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a drive and sysfs say of it: numbers and names as text, udev's record, IDENTIFY data, the
 * table of a device-mapper device, models against the drive list, and numbers to be believed or
 * not.
 */
#include "../../src/probe/internal.h"
#include "must.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_text(const char *text)
{
	char value[FACT_TEXT_MAX];
	const char *why = NULL;
	int64_t below_zero;
	uint64_t number;

	parse_u64(text, &number);
	if (parse_i64(text, &below_zero))
		MUST(below_zero >= -INT64_MAX);
	MUST(partition_number("sda", text) <= INT32_MAX);
	MUST(partition_number("nvme0n1", text) <= INT32_MAX);
	if (find_udev_property(text, "ID_MODEL_ENC", value, sizeof(value)))
		MUST(*value && strlen(value) < sizeof(value));
	number = find_lying_drive(text, &why);
	MUST(!number == !why && (!number || is_power_of_two(number)));
}

static void read_identity(const uint8_t *data)
{
	char model[41], serial[21];

	for (int swapped = 0; swapped < 2; swapped++) {
		MUST(decode_ata_identity(data, swapped, model, serial) == (*model != '\0'));
		MUST(strlen(model) < sizeof(model) && strlen(serial) < sizeof(serial));
	}
}

static void read_target(const char *text)
{
	static const char *const types[] = { "linear", "crypt", "striped", "error" };
	struct piece_list pieces = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		decode_dm_target(types[i], text, strlen(text) << (i * 16), UINT64_MAX >> (i * 16),
				 &pieces);
	for (size_t i = 0; i < pieces.count; i++)
		MUST(pieces.list[i].is_known && *pieces.list[i].number);
	free(pieces.list);
}

static void believe(const uint8_t *data)
{
	struct topology believed, reported = { .logical_block_size = get_le64(data),
					       .physical_block_size = get_le64(data + 8),
					       .minimum_io_size = get_le64(data + 16),
					       .optimal_io_size = get_le64(data + 24),
					       .alignment_offset = (int64_t)get_le64(data + 32),
					       .has_alignment_offset = data[40] & 4 };
	struct findings findings = { 0 };
	bool is_physical_believed;

	believe_topology(&reported, (enum tristate)(data[40] % 3) - 1, &believed,
			 &is_physical_believed, &findings);
	MUST(!believed.logical_block_size || is_power_of_two(believed.logical_block_size));
	MUST(is_power_of_two(believed.physical_block_size));
	MUST(believed.minimum_io_size <= 16 * MIB && believed.optimal_io_size <= 16 * MIB);
	findings_free(&findings);
}

/* Two disks below, of sizes that the judge lets through. */
static void look_below(const uint8_t *data)
{
	struct below below[2] = { 0 };
	uint64_t physical;
	int64_t offset;

	for (size_t i = 0; i < 2; i++, data += 20)
		below[i] = (struct below){ .has_place = data[0] & 1,
					   .start = get_le64(data + 1),
					   .place = get_le64(data + 9),
					   .physical_block_size = 512ULL << data[17] % 8,
					   .alignment_offset = (int64_t)get_le16(data + 18) - 1 };
	offset = alignment_below(below, 2, &physical);
	MUST(offset == INT64_MIN || (offset >= -1 && offset < 65536));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	read_text(text);
	read_target(text);
	if (size >= 41) {
		believe(data);
		look_below(data);
	}
	if (size >= 512)
		read_identity(data);
	free(text);
	return 0;
}
