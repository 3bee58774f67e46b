/**
 * Builds `@plumbline/client` into `client/dist`: JavaScript, and types that need no other package.
 *
 * `npm pack -w @plumbline/client` calls it.
 */
import { fileURLToPath } from 'node:url'
import { buildClient } from './client/build-client.ts'

await buildClient(fileURLToPath(new URL('..', import.meta.url)))
