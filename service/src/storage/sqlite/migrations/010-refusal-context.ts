/** What a refused line needs to be read again, beside its text. */
export const rejectContext = [`alter table rejects add column context text`] as const
