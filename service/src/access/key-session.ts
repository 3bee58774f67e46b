import type { SecretSession } from './revocation-watch.ts'

type Keys = { find(hash: Uint8Array): Promise<object | undefined> }

/** Returns a session of an ingest key, which ends when the key is revoked. */
export const keySession = (
  keys: Keys,
  hash: Uint8Array,
): Omit<SecretSession<object | undefined>, 'end'> => ({
  lookUp: () => keys.find(hash),
  whyEnd: (key) => (key === undefined ? 'revoked' : undefined),
})
