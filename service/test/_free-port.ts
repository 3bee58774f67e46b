import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections and to servers without a choice. */
const PORTS = { first: 10_000, count: 20_000 }
let lastPort = PORTS.first + Math.floor(Math.random() * PORTS.count)

/** A port that nobody listens on, and that no other test gets by chance before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = lastPort < PORTS.first + PORTS.count ? lastPort + 1 : PORTS.first
    if (await isFree(lastPort)) return lastPort
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
