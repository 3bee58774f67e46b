import { hash } from 'node:crypto'

/** What is kept of a random secret. It needs no slow hash: nobody guesses 122 bits and more. */
export const hashSecret = (secret: string): Uint8Array => hash('sha256', secret, 'buffer')
