// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for libFuzzer's main: runs every file named through the target once. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	enum { INPUT_MAX = 1 << 20 };
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	size_t size;

	if (!f) {
		perror(path);
		return 1;
	}
	data = malloc(INPUT_MAX);
	if (!data)
		abort();
	size = fread(data, 1, INPUT_MAX, f);
	fclose(f);

	/* An exact copy, so that the sanitizers see one byte too far. */
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		abort();
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed;
}
