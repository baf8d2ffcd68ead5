// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of a device, and the names of its kinds. */
#include "alignck/probe.h"

#include <stdlib.h>

void device_free(struct device *device)
{
	if (!device)
		return;
	free(device->path);
	free(device->name);
	free(device->disk_path);
	free(device->disk_name);
	free(device->model);
	free(device->serial);
	free(device->zoned);
	free(device->kernel_partitions);
	free(device->below);
	free(device->users);
	findings_free(&device->findings);
	free(device);
}

const char *device_kind_name(enum device_kind kind)
{
	static const char *const names[] = { "disk", "partition", "image", "table" };

	return names[kind];
}

const char *sector_source_name(enum sector_source source)
{
	static const char *const names[] = { "kernel", "drive-list", "user",
					     "table",  "assumed",    "measured" };

	return names[source];
}
