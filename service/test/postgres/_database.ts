import { randomBytes } from 'node:crypto'
import { asSuperuser, type ServerAddress } from './_client.ts'

/** An empty database of an ordinary role; dropped at its end, whoever is connected. */
export type Database = AsyncDisposable & { readonly url: string }

/** Names a database and the role that owns it. */
export type DatabaseName = { name: string; password: string }

export const newPassword = (): string => randomBytes(12).toString('hex')

/** The address of a database, with the role that owns it. */
export const urlOf = ({ port }: ServerAddress, { name, password }: DatabaseName): string =>
  `postgres://${name}:${password}@127.0.0.1:${port}/${name}`

/** Creates a database, with a role that owns it and has no other rights. */
export const createNamed = (
  server: ServerAddress,
  { name, password }: DatabaseName,
): Promise<void> =>
  asSuperuser(server, async (client) => {
    await client.query(`create role ${name} login password '${password}'`)
    await client.query(`create database ${name} owner ${name}`)
  })

const newName = (): string => `test_${randomBytes(6).toString('hex')}`

/** Creates a database for a test. */
export async function createDatabase(server: ServerAddress): Promise<Database> {
  const name = newName()
  const named = { name, password: newPassword() }
  await createNamed(server, named)
  return {
    url: urlOf(server, named),
    [Symbol.asyncDispose]: () =>
      asSuperuser(server, async (client) => {
        await client.query(`drop database ${name} with (force)`)
        await client.query(`drop role ${name}`)
      }),
  }
}

/** Creates a database that has what another one of the server has, for the same role. */
export async function copyDatabase(server: ServerAddress, from: Database): Promise<Database> {
  const url = new URL(from.url)
  const name = newName()
  const statement = `create database ${name} template ${url.username} owner ${url.username}`
  await asSuperuser(server, (client) => client.query(statement))
  url.pathname = name
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await asSuperuser(server, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}
