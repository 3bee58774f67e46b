import type { Session } from './revocation-watch.ts'

type Keys = { find(hash: Uint8Array): Promise<object | undefined> }

/** A session that was opened with an ingest key ends when the key is revoked. */
export const keySession = (
  keys: Keys,
  hash: Uint8Array,
): Omit<Session<object | undefined>, 'end'> => ({
  lookUp: () => keys.find(hash),
  whyEnd: (key) => (key === undefined ? 'revoked' : undefined),
})
