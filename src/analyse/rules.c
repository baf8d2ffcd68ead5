// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules, one row each. A rule measures one thing and says whether it is worth a finding; what
 * the finding weighs is in the table of finding.c. Rules see subjects of three kinds: judged ones,
 * exempt ones, and the whole device where there is no table.
 */
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SAY(m, ...) snprintf((m)->text, sizeof((m)->text), __VA_ARGS__)

static uint64_t start_off_by(const struct subject *s)
{
	return misalignment(s->position, s->offset, s->analysis->required);
}

/* What is written to most. NULL: none, or which of two it is cannot be told. */
static const struct layer *payload_of(const struct content *content)
{
	return content && !content->ambiguous ? innermost_payload(content) : NULL;
}

static uint64_t payload_off_by(const struct subject *s, const struct layer *layer)
{
	return misalignment(layer->data_offset + s->device->image_offset, s->offset,
			    s->analysis->required);
}

/*
 * Units of whole sectors that start on a boundary cost nothing. Larger ones that do not share only
 * the sectors they begin and end in with others; smaller ones have no sector to themselves, and nor
 * have those of users who may write as little as a page.
 */
static enum cost cost_of(const struct subject *s, uint64_t off_by, uint64_t unit)
{
	uint64_t off_sector = off_by % s->physical;

	if (!off_sector && (!unit || unit % s->physical == 0))
		return COST_NONE;
	return off_sector && unit > s->physical ? COST_ENDS : COST_EVERY;
}

/*
 * Does the payload make up for a start that is off? Its data must be on a boundary, and written in
 * units that stay on boundaries: clusters of 2 KiB that begin on one still split every other
 * sector.
 */
static bool compensates(const struct subject *s, const struct layer *payload)
{
	return payload && payload->data_offset != s->start && !payload_off_by(s, payload) &&
	       (!payload->block_size || payload->block_size >= s->physical);
}

/* "sector 63 is not divisible by 8", or where the boundaries really lie when that is not the point.
 */
static void explain_start(const struct subject *s, char *text, size_t size)
{
	uint64_t required = s->analysis->required;

	text[0] = '\0';
	if (required % s->sector || s->start % s->sector || s->device->image_offset)
		return;
	if (!s->offset)
		snprintf(text, size, " (sector %" PRIu64 " is not divisible by %" PRIu64 ")",
			 s->start / s->sector, required / s->sector);
	else if (s->offset % s->sector == 0)
		snprintf(text, size,
			 " (on this device sector %" PRIu64 " and every %" PRIu64
			 " from there are boundaries; sector %" PRIu64 " is none)",
			 s->offset / s->sector, required / s->sector, s->start / s->sector);
}

static bool start_misaligned(const struct subject *s, struct measure *m)
{
	char why[128];

	m->value = start_off_by(s);
	m->boundary = s->analysis->required;
	if (!m->value)
		return false;
	if (compensates(s, payload_of(s->content)))
		return false; /* payload_compensates says so */
	explain_start(s, why, sizeof(why));
	if (m->boundary > s->physical && !misalignment(s->position, s->offset, s->physical))
		SAY(m,
		    "starts %" PRIu64 " bytes past a %" PRIu64 "-byte boundary, the minimum I/O"
		    " size, though on a %" PRIu64 "-byte one%s",
		    m->value, m->boundary, s->physical, why);
	else
		SAY(m, "starts %" PRIu64 " bytes past a %" PRIu64 "-byte boundary%s", m->value,
		    m->boundary, why);
	return true;
}

static bool start_exempt(const struct subject *s, struct measure *m)
{
	m->value = start_off_by(s);
	m->boundary = s->analysis->required;
	SAY(m,
	    "starts %" PRIu64 " bytes past a %" PRIu64 "-byte boundary, which does not matter"
	    " for %s",
	    m->value, m->boundary, partition_role_name(s->partition->role));
	return m->value != 0;
}

static bool payload_compensates(const struct subject *s, struct measure *m)
{
	const struct layer *payload = payload_of(s->content);

	if (!start_off_by(s) || !compensates(s, payload))
		return false;
	m->value = start_off_by(s);
	m->boundary = s->analysis->required;
	SAY(m,
	    "starts %" PRIu64 " bytes past a %" PRIu64 "-byte boundary, but the data of its %s"
	    " starts on one: a move would break that",
	    m->value, m->boundary, payload->type);
	m->cost = COST_NONE;
	return true;
}

static bool payload_misaligned(const struct subject *s, struct measure *m)
{
	const struct layer *payload = payload_of(s->content);

	if (!payload || payload->data_offset <= s->start)
		return false;
	m->value = payload_off_by(s, payload);
	m->boundary = s->analysis->required;
	SAY(m,
	    "the data of its %s starts %" PRIu64 " bytes past a %" PRIu64 "-byte boundary (%" PRIu64
	    " bytes into it)",
	    payload->type, m->value, m->boundary, payload->data_offset - s->start);
	m->cost = cost_of(s, m->value, payload->block_size);
	return m->value != 0;
}

/* Two signatures: whichever of them is stale, the other may have its data off a boundary. */
static bool content_doubtful(const struct subject *s, struct measure *m)
{
	const struct content *c = s->content;

	for (size_t i = 0; c && c->ambiguous && i < 2; i++) {
		const struct layer *layer = i ? &c->other : &c->layers[0];

		if (!layer->has_data_offset || layer->data_offset == s->start)
			continue;
		m->value = payload_off_by(s, layer);
		m->boundary = s->analysis->required;
		SAY(m,
		    "if it is the %s that counts, its data starts %" PRIu64 " bytes past a %" PRIu64
		    "-byte boundary",
		    layer->type, m->value, m->boundary);
		if (m->value)
			return true;
	}
	return false;
}

static bool start_not_recommended(const struct subject *s, struct measure *m)
{
	char size[SIZE_TEXT_MAX];

	m->value = misalignment(s->position, s->offset, s->analysis->recommended);
	m->boundary = s->analysis->recommended;
	if (!m->value || start_off_by(s))
		return false;
	if (s->device->topology.optimal_io_size == m->boundary)
		SAY(m,
		    "is aligned, but not to the optimal I/O size of %s (%" PRIu64 " bytes past it)",
		    format_size(size, m->boundary), m->value);
	else
		SAY(m, "is aligned, but not to the customary %s (%" PRIu64 " bytes past it)",
		    format_size(size, m->boundary), m->value);
	return true;
}

static bool end_misaligned(const struct subject *s, struct measure *m)
{
	uint64_t end;

	if (!add_u64(s->position, s->size, &end))
		return false;
	m->value = misalignment(end, s->offset, s->physical);
	m->boundary = s->physical;
	m->cost = COST_ENDS;
	SAY(m, "ends %" PRIu64 " bytes past a %" PRIu64 "-byte boundary", m->value, m->boundary);
	return m->value != 0;
}

static bool size_misaligned(const struct subject *s, struct measure *m)
{
	m->value = s->size % s->physical;
	m->boundary = s->physical;
	m->cost = COST_ENDS;
	SAY(m, "its size of %" PRIu64 " sectors is no multiple of %" PRIu64 " bytes",
	    s->size / s->sector, m->boundary);
	return m->value != 0;
}

static bool zone_misaligned(const struct subject *s, struct measure *m)
{
	const struct device *device = s->device;

	if (!device->zone_size || !device->zoned || strcmp(device->zoned, "host-managed") != 0)
		return false;
	m->value = s->start % device->zone_size;
	m->boundary = device->zone_size;
	SAY(m,
	    "starts %" PRIu64 " bytes into a zone of %" PRIu64
	    " bytes of a host-managed zoned disk",
	    m->value, m->boundary);
	return m->value != 0;
}

static bool block_smaller(const struct subject *s, struct measure *m)
{
	for (size_t i = 0; s->content && i < s->content->count; i++) {
		const struct layer *layer = &s->content->layers[i];

		if (!layer->block_size || layer->block_size >= s->physical)
			continue;
		m->value = layer->block_size;
		m->boundary = s->physical;
		SAY(m,
		    "its %s writes in units of %" PRIu64 " bytes, smaller than the %" PRIu64
		    "-byte physical sector",
		    layer->type, m->value, m->boundary);
		m->cost = cost_of(s, 0, layer->block_size);
		return true;
	}
	return false;
}

static bool ashift_too_small(const struct subject *s, struct measure *m)
{
	for (size_t i = 0; s->content && i < s->content->count; i++) {
		const struct layer *layer = &s->content->layers[i];

		if (!layer->ashift || layer->ashift > 16 || 1ULL << layer->ashift >= s->physical)
			continue;
		m->value = 1ULL << layer->ashift;
		m->boundary = s->physical;
		SAY(m,
		    "its ZFS pool has ashift %u (%" PRIu64 " bytes), smaller than the %" PRIu64
		    "-byte physical sector; only a new vdev can change that",
		    layer->ashift, m->value, m->boundary);
		m->cost = cost_of(s, 0, m->value);
		return true;
	}
	return false;
}

enum subject_kind { JUDGED = 1, EXEMPT = 2, WHOLE = 4 };

static const struct {
	enum finding_id id;
	unsigned applies_to;
	bool (*measure)(const struct subject *s, struct measure *m);
} rules[] = {
	{ FINDING_START_MISALIGNED, JUDGED | WHOLE, start_misaligned },
	{ FINDING_START_EXEMPT, EXEMPT, start_exempt },
	{ FINDING_PAYLOAD_COMPENSATES, JUDGED | WHOLE, payload_compensates },
	{ FINDING_PAYLOAD_MISALIGNED, JUDGED | WHOLE, payload_misaligned },
	{ FINDING_CONTENT_DOUBTFUL, JUDGED | WHOLE, content_doubtful },
	{ FINDING_START_NOT_RECOMMENDED, JUDGED, start_not_recommended },
	{ FINDING_END_MISALIGNED, JUDGED, end_misaligned },
	{ FINDING_SIZE_MISALIGNED, JUDGED, size_misaligned },
	{ FINDING_ZONE_MISALIGNED, JUDGED, zone_misaligned },
	{ FINDING_BLOCK_SMALLER_THAN_SECTOR, JUDGED | WHOLE, block_smaller },
	{ FINDING_ASHIFT_TOO_SMALL, JUDGED | WHOLE, ashift_too_small },
};

/* What is inside is judged by what it costs; of the rest JSON has it. */
static bool names_cost(enum finding_id id)
{
	return id == FINDING_PAYLOAD_MISALIGNED || id == FINDING_PAYLOAD_COMPENSATES ||
	       id == FINDING_BLOCK_SMALLER_THAN_SECTOR || id == FINDING_ASHIFT_TOO_SMALL;
}

static void add_measure(const struct subject *s, enum finding_id id, const struct measure *m,
			struct findings *out)
{
	static const char *const words[] = {
		[COST_UNSAID] = "",
		[COST_NONE] = "; no read-modify-write",
		[COST_ENDS] = "; read-modify-write only at the ends of writes",
		[COST_EVERY] = "; read-modify-write on every write",
	};
	struct finding f = { .id = id,
			     .partition = s->index,
			     .has_value = true,
			     .value = m->value,
			     .boundary = m->boundary,
			     .cost = m->cost };

	snprintf(f.message, sizeof(f.message), "%.190s%s", m->text,
		 names_cost(id) ? words[m->cost] : "");
	findings_add_copy(out, &f);
}

void apply_rules(const struct subject *s, struct findings *out)
{
	unsigned kind = !s->partition ? WHOLE
			: s->partition->role > ROLE_DATA && s->partition->role != ROLE_CONTAINER
				? EXEMPT
				: JUDGED;

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct measure m = { .cost = COST_UNSAID };

		if (rules[i].applies_to & kind && rules[i].measure(s, &m))
			add_measure(s, rules[i].id, &m, out);
	}
}
