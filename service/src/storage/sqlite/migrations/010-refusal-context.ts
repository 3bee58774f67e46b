/** What a refused line needs to be read again, beside its text. */
export const refusalContext = [`alter table refusals add column context text`] as const
