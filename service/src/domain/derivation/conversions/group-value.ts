/** What a station has of its group: a value, or a sentence on why there is none. */
export type GroupValue = { value: number; absent?: never } | { value?: never; absent: string }
