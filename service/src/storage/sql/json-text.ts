/** What a column of JSON holds, which only this program writes. */
export const fromJson = <Value>(text: string): Value => JSON.parse(text)
