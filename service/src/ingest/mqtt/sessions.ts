import type { Aedes, AuthenticateError, Client } from 'aedes'
import type { Logger } from 'pino'
import type { AccessControl } from '../../access/access-control.ts'
import { describeFailure } from '../../errors/describe-failure.ts'
import { keySession } from '../../access/key-session.ts'
import { hashSecret } from '../../domain/access/secret.ts'
import type { IngestKey, IngestKeyStore } from '../../storage/storage.ts'
import type { Admitted } from './admission.ts'
import type { GatedConnection } from './gated-connection.ts'

type SessionOptions = {
  keys: Pick<IngestKeyStore, 'find'>
  access: AccessControl
  log: Logger
}

/** Return codes of CONNACK in MQTT 3.1.1. */
const SERVER_UNAVAILABLE = 3
const BAD_CREDENTIALS = 4

type ClientSession = {
  connection: GatedConnection
  admitted: Admitted
}

/** Authenticates clients by an ingest key as their password, and ends their sessions when it is revoked. */
export class Sessions {
  readonly #options: SessionOptions
  readonly #sessions = new WeakMap<Client, ClientSession>()
  readonly #ended = new WeakSet<Client>()

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Adds a client before its log-in. */
  add(client: Client, session: ClientSession): void {
    this.#sessions.set(client, session)
  }

  /** Whether the key of a client was revoked: not even its will is stored then. */
  hasEnded(client: Client): boolean {
    return this.#ended.has(client)
  }

  /** Passes on what a client sends after its log-in. */
  admit(client: Client): void {
    const session = this.#sessions.get(client)
    session?.admitted.loggedIn()
    session?.connection.admit()
  }

  connectionOf(client: Client): GatedConnection | undefined {
    return this.#sessions.get(client)?.connection
  }

  readonly authenticate: Aedes['authenticate'] = (client, _username, password, done) => {
    const hash = hashSecret(password?.toString() ?? '')
    this.#logIn(client, hash).then(
      (isIn) => {
        if (isIn) done(null, true)
        else done(authError(BAD_CREDENTIALS, 'the password is not a valid ingest key'), null)
      },
      (error: unknown) => {
        this.#options.log.warn(describeFailure('broker: the log-in of a client', error))
        done(authError(SERVER_UNAVAILABLE, 'the service cannot look up keys'), null)
      },
    )
  }

  async #logIn(client: Client, hash: Uint8Array): Promise<boolean> {
    const { keys, access } = this.#options
    const session = this.#sessions.get(client)
    if (session === undefined) throw new Error('the client has no connection')
    const key = await keys.find(hash)
    if (key !== undefined) {
      this.#begin(client, session, key, hash)
      return true
    }
    const { from } = session.admitted
    access.security.record('security.mqtt-log-in-failed', { from })
    const seconds = await access.throttle.fail(from)
    if (seconds > 0) access.security.record('security.throttled', { from, secret: 'mqtt' })
    return false
  }

  #begin(
    client: Client,
    { connection, admitted: { from } }: ClientSession,
    { id, name }: IngestKey,
    hash: Uint8Array,
  ): void {
    if (connection.destroyed) return
    // A client id takes over sessions of its own key only.
    client.id = `${id}/${client.id}`
    const { keys, access } = this.#options
    access.security.record('security.mqtt-log-in', { from, key: name })
    const end = (reason: string): void => {
      this.#ended.add(client)
      access.security.record('security.session-ended', { from, key: name, reason })
      connection.destroy()
    }
    const stop = access.revocations.open(hash, { ...keySession(keys, hash), end })
    connection.once('close', () => {
      stop()
      access.security.record('security.mqtt-log-out', { from, key: name })
    })
  }
}

const authError = (returnCode: number, message: string): AuthenticateError =>
  Object.assign(new Error(message), { returnCode })
