import { Client, type ClientConfig, type QueryResultRow } from 'pg'

// Clients take their variables from the environment for what an address leaves open.
for (const name of Object.keys(process.env)) if (name.startsWith('PG')) delete process.env[name]

/** Where the superuser reaches a server: the folder of its socket, which only its owner may enter. */
export type ServerAddress = { readonly folder: string; readonly port: number }

/** Runs statements on a connection of their own. */
export async function withClient<Result>(
  settings: ClientConfig,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(settings)
  // A server that dies says so to everybody who is connected; whoever waits for an answer hears it too.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Runs statements as the superuser of a server. */
export const asSuperuser = <Result>(
  { folder, port }: ServerAddress,
  work: (client: Client) => Promise<Result>,
): Promise<Result> =>
  withClient({ host: folder, port, user: 'postgres', database: 'postgres' }, work)

/** The rows of one statement that the superuser runs. */
export const queryAsSuperuser = <Row extends QueryResultRow>(
  server: ServerAddress,
  statement: string,
): Promise<Row[]> =>
  asSuperuser(server, async (client) => (await client.query<Row>(statement)).rows)
