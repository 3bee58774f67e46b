import { once } from 'node:events'
import { createServer } from 'node:net'
import { codeOf, toError } from '../errors/thrown.ts'

/** The names of the settings of a server's address, without `.host` and `.port`. */
export type ListeningSettings = 'http' | 'ops' | 'ingest.broker'

/** Adds the names of the settings to the error of a server that cannot listen. */
export async function listenBy<Result>(
  settings: ListeningSettings,
  listening: Promise<Result>,
): Promise<Result> {
  try {
    return await listening
  } catch (error) {
    throw Object.assign(toError(error), { settings })
  }
}

const WITHOUT_IPV6 = /^(EAFNOSUPPORT|EADDRNOTAVAIL|EPROTONOSUPPORT)$/

/** The address that a server listens on: a machine without IPv6 has only those of IPv4 for `::`, all addresses. */
export async function listeningHost(host: string, tryHost = listenOnce): Promise<string> {
  if (host !== '::') return host
  try {
    await tryHost(host)
    return host
  } catch (error) {
    if (WITHOUT_IPV6.test(codeOf(error) ?? '')) return '0.0.0.0'
    throw error
  }
}

async function listenOnce(host: string): Promise<void> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  server.close()
}

/** The URL of a server of an address. */
export const urlOf = (scheme: 'http' | 'https', host: string, port: number): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
