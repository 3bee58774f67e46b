import type { Watched } from './access-watch.ts'

type Keys = { find(hash: Uint8Array): Promise<object | undefined> }

/** What is opened with an ingest key ends when the key is revoked. */
export const watchKey = (
  keys: Keys,
  hash: Uint8Array,
): Omit<Watched<object | undefined>, 'end'> => ({
  look: () => keys.find(hash),
  whyEnd: (key) => (key === undefined ? 'revoked' : undefined),
})
