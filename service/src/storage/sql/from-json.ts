/** Parses a column of JSON, which only this program writes. */
export const fromJson = <Value>(text: string): Value => JSON.parse(text)
