import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

const GOODBYE_MILLISECONDS = 1_000

/** Ends a connection; one whose server does not answer is cut after a second. */
export async function closeClient(client: pg.Client): Promise<void> {
  const isEnded = await Promise.race([
    client.end().then(() => true),
    sleep(GOODBYE_MILLISECONDS, false, { ref: false }),
  ])
  if (!isEnded) client.connection.stream.destroy()
}
