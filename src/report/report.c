// SPDX-License-Identifier: GPL-2.0-or-later
#include "internal.h"

static int print_nothing(FILE *out, const struct result *results, size_t count,
			 const struct report_options *options)
{
	(void)out, (void)results, (void)count, (void)options;
	return 0;
}

int report(FILE *out, const struct result *results, size_t count,
	   const struct report_options *options)
{
	static int (*const printers[])(FILE *, const struct result *, size_t,
				       const struct report_options *) = {
		[FORMAT_TEXT] = print_tree,     [FORMAT_JSON] = print_json,
		[FORMAT_PAIRS] = print_list,    [FORMAT_RAW] = print_list,
		[FORMAT_QUIET] = print_nothing, [FORMAT_PROMETHEUS] = print_prometheus,
		[FORMAT_NAGIOS] = print_nagios, [FORMAT_ASHIFT] = print_ashift,
	};

	return printers[options->format](out, results, count, options);
}

/* With --strict: a warning about the set counts as one about a device does. */
static enum status pool_status(const struct result *results, size_t count)
{
	enum status status = STATUS_UNKNOWN;
	struct pool pool;

	if (make_pool(results, count, &pool) < 0)
		return status;
	status = findings_status(&pool.findings, true);
	findings_free(&pool.findings);
	return status;
}

enum status report_status(const struct result *results, size_t count, bool strict)
{
	/* Nothing looked at is nothing known. */
	enum status worst = count ? STATUS_ALIGNED : STATUS_UNKNOWN;

	for (size_t i = 0; i < count; i++) {
		enum status status = has_facts(&results[i])
					     ? analysis_status(results[i].analysis, strict)
					     : STATUS_UNKNOWN;

		if (status > worst)
			worst = status;
	}
	if (strict && worst == STATUS_ALIGNED && is_pool(results, count))
		worst = pool_status(results, count);
	return worst;
}
