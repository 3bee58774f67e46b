export const DAY = 86_400_000

export const ISSUE = { grant_type: 'client_credentials' }
