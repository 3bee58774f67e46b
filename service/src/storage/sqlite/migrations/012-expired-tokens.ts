/** A token that was found expired stays so when the clock is set back. */
export const expiredTokens = [`alter table tokens add column expired_at integer`] as const
