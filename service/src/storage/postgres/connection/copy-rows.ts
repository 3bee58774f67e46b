import pg, { type Connection } from 'pg'
import { copyText } from './copy-text.ts'
import type { Client } from './run-statement.ts'

/** The most rows of one COPY, and so of the text that is made at once. */
const ROWS_AT_ONCE = 10_000

/** Copies rows, given as columns, into a table with these columns; all of them are new, or it fails. */
export async function copyRows(
  client: Client,
  into: string,
  columns: readonly (readonly unknown[])[],
): Promise<void> {
  const count = columns[0]?.length ?? 0
  for (let at = 0; at < count; at += ROWS_AT_ONCE)
    await copy(
      client,
      `copy ${into} from stdin`,
      copyText(columns.map((column) => column.slice(at, at + ROWS_AT_ONCE))),
    )
}

function copy(client: Client, sql: string, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const ended = (error: Error | null | undefined): void => (error ? reject(error) : resolve())
  client.query(new CopyQuery(sql, Buffer.from(text), ended))
  return promise
}

/** What a connection can do that the types of `pg` do not say. */
type CopyingConnection = Connection & {
  sendCopyFromChunk(bytes: Uint8Array): void
  endCopyFrom(): void
}

/**
 * Sends the rows right behind the COPY, without waiting for the server to ask for them: other statements
 * can follow at once. A server that refuses the COPY ignores them.
 */
class CopyQuery extends pg.Query {
  override submit: (connection: Connection) => void

  constructor(sql: string, bytes: Uint8Array, ended: (error: Error | null | undefined) => void) {
    super(sql, ended)
    this.submit = (connection) => {
      const copying = connection as CopyingConnection
      copying.query(sql)
      copying.sendCopyFromChunk(bytes)
      copying.endCopyFrom()
    }
  }

  /** The rows are under way. */
  handleCopyInResponse(): void {}
}
