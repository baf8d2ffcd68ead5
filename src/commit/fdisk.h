/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ALIGNCK_FDISK_H
#define ALIGNCK_FDISK_H

/*
 * libfdisk on a memory disk. The library is opened when a table is to be written and not linked:
 * only few runs write one, and all would pay for its start-up.
 */

#include "internal.h"

#include <libfdisk.h>

/* The functions that we need of it, without their "fdisk_". */
#define FDISK_CALLS(CALL)                                                                          \
	CALL(add_partition)                                                                        \
	CALL(ask_get_type)                                                                         \
	CALL(ask_print_get_mesg)                                                                   \
	CALL(assign_device_by_fd)                                                                  \
	CALL(delete_partition)                                                                     \
	CALL(disable_dialogs)                                                                      \
	CALL(get_label)                                                                            \
	CALL(get_npartitions)                                                                      \
	CALL(get_partition)                                                                        \
	CALL(has_label)                                                                            \
	CALL(is_partition_used)                                                                    \
	CALL(label_get_parttype_from_code)                                                         \
	CALL(new_context)                                                                          \
	CALL(new_partition)                                                                        \
	CALL(new_script)                                                                           \
	CALL(new_unknown_parttype)                                                                 \
	CALL(partition_get_size)                                                                   \
	CALL(partition_get_start)                                                                  \
	CALL(partition_get_type)                                                                   \
	CALL(partition_get_uuid)                                                                   \
	CALL(partition_set_partno)                                                                 \
	CALL(partition_set_size)                                                                   \
	CALL(partition_set_start)                                                                  \
	CALL(partition_set_type)                                                                   \
	CALL(partition_size_explicit)                                                              \
	CALL(parttype_get_code)                                                                    \
	CALL(parttype_get_string)                                                                  \
	CALL(save_user_grain)                                                                      \
	CALL(save_user_sector_size)                                                                \
	CALL(script_read_context)                                                                  \
	CALL(script_write_file)                                                                    \
	CALL(set_ask)                                                                              \
	CALL(set_first_lba)                                                                        \
	CALL(toggle_partition_flag)                                                                \
	CALL(unref_context)                                                                        \
	CALL(unref_partition)                                                                      \
	CALL(unref_parttype)                                                                       \
	CALL(unref_script)                                                                         \
	CALL(write_disklabel)

struct fdisk_calls {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared takes none */
#define CALL(name) typeof(&fdisk_##name) name;
	FDISK_CALLS(CALL)
#undef CALL
};

struct fdisk {
	const struct fdisk_calls *call;
	struct fdisk_context *cxt;
	struct reason said; /* its last warning, "" */
};

/* Lets libfdisk read the table on `memory`; `name` as it shall be in a script. Rounds nothing. 0,
 * -ELIBACC or -EINVAL with the reason. `fdisk` may not be moved, for libfdisk points to it; close
 * it with close_fdisk(), after a failure too. */
int open_fdisk(const struct io *memory, uint32_t sector, const char *name, struct fdisk *fdisk,
	       struct reason *reason);
void close_fdisk(struct fdisk *fdisk);

/* Ends a failing function with what it was about, and what libfdisk said. Returns -EINVAL. */
int fdisk_failed(const struct fdisk *fdisk, struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Does libfdisk see the same partitions there, at the plan's places (NULL: at the layout's)? An
 * opinion that shares no code with read_layout(). 0 or -EINVAL with the reason. */
int compare_fdisk(const struct fdisk *fdisk, const struct layout *layout, const struct plan *plan,
		  struct reason *reason);

#endif
