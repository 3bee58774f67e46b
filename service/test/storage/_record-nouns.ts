/** The nouns whose tests take longest. */
export const OF_RECORDS: ReadonlySet<string> = new Set([
  'data',
  'histories',
  'open days',
  'hours',
  'readings',
  'concurrency',
])
