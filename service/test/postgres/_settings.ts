import type { ServerAddress } from './_client.ts'

export type Settings = Readonly<Record<string, string>>

/** The superuser comes by the socket, in a folder that only its owner may enter; others bring a password. */
export const INITDB = [
  '--username=postgres',
  '--encoding=UTF8',
  '--locale=C.UTF-8',
  '--auth-local=trust',
  '--auth-host=scram-sha-256',
  '--no-sync',
  '--no-instructions',
]

/** Without them a kill of the machine may lose what was committed, and tests are faster. */
export const DURABLE_OFF: Settings = { fsync: 'off', full_page_writes: 'off' }

/** The arguments of a server, with settings that go before our defaults. */
export function serverArguments({ folder, port }: ServerAddress, settings: Settings): string[] {
  const all = {
    shared_buffers: '128MB',
    max_connections: '300',
    // What its processes share lies in the folder: a kill leaves nothing in /dev/shm.
    dynamic_shared_memory_type: 'mmap',
    ...settings,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    port: String(port),
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
