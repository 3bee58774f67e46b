/** A range of instants, both ends included. */
export type Span = { from: number; to: number }
