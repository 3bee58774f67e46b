/** A value that a station has from its group, or the reason why it has none. */
export type GroupValue = { value: number; absent?: never } | { value?: never; absent: string }
