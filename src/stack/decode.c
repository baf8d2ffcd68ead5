// SPDX-License-Identifier: GPL-2.0-or-later
#include "decode.h"

#include <stdio.h>

const uint8_t *reach(struct decoding *d, uint64_t offset, size_t len)
{
	if (offset >= d->at && offset - d->at <= d->len && len <= d->len - (offset - d->at))
		return d->bytes + (offset - d->at);
	if (d->more && offset >= d->more_at && offset - d->more_at <= d->more_len &&
	    len <= d->more_len - (offset - d->more_at))
		return d->more + (offset - d->more_at);
	d->want_offset = offset;
	d->want_len = len;
	return NULL;
}

enum outcome found_at(struct decoding *d, uint64_t data_offset, uint64_t block_size)
{
	d->layer.data_offset = data_offset;
	d->layer.has_data_offset = true;
	d->layer.block_size = block_size;
	return DECODE_FOUND;
}

enum outcome found_name(struct decoding *d)
{
	d->layer.has_data_offset = false;
	return DECODE_FOUND;
}

enum outcome found_garbled(struct decoding *d)
{
	d->is_garbled = true;
	return found_name(d);
}

void name_layer(struct decoding *d, const char *type)
{
	snprintf(d->layer.type, sizeof(d->layer.type), "%s", type);
}

uint64_t block_of(uint32_t shift)
{
	return shift >= 9 && shift <= 26 ? 1ULL << shift : 0;
}

enum outcome decode_whole(struct decoding *d)
{
	return found_at(d, 0, 0);
}
