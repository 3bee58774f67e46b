import type { MqttSettings } from '../config/mqtt-settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { readPassword, readPem } from './setting-files.ts'

const DEFAULT_EXPIRY_SECONDS = 7 * 86_400

/** The connection of a broker in the settings, with defaults. */
export function connectionOptions(settings: MqttSettings) {
  const { name, url, version = 5, connections = 1, username } = settings
  return {
    name,
    url,
    version,
    clientId: settings.clientId ?? `plumbline-${name}`,
    username,
    connections,
    sharedGroup: settings.sharedGroup ?? (connections > 1 ? `plumbline-${name}` : undefined),
    sessionExpirySeconds: settings.sessionExpirySeconds ?? DEFAULT_EXPIRY_SECONDS,
  }
}

/** Reads the password and the certificates of a broker from their files. */
export async function readSecrets(settings: MqttSettings, where: string) {
  const { password, passwordFile } = settings
  if (password !== undefined && passwordFile !== undefined)
    throw new RefusedError('invalid', `${where} may have password or passwordFile, not both`)
  const read = (name: 'ca' | 'cert' | 'key') => readPem(settings[name], `${where}.${name}`)
  const tls = { ca: await read('ca'), cert: await read('cert'), key: await read('key') }
  return { password: await readPassword(settings, where), tls }
}
