import { hash } from 'node:crypto'

/** Returns the stored form of a random secret. A fast hash is enough for 122 random bits and more. */
export const hashSecret = (secret: string): Uint8Array => hash('sha256', secret, 'buffer')
