import { oneOf, REPLACEMENTS } from '@plumbline/contract'
import { Type, type TSchema } from 'typebox'

/** Refuses members that a schema does not name. */
export const closed = { additionalProperties: false }

export const wholeNumber = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })

export const positive = (maximum: number, unit?: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum, ...(unit === undefined ? {} : { unit }) })

export const port = Type.Integer({ minimum: 0, maximum: 65_535, title: 'a port from 0 to 65535' })

/** A member that may be left out. */
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

export const text = (description: string) => optional(Type.String({ description, minLength: 1 }))

/** A member that is the path of a file, relative to the settings file. */
export const file = (description: string) =>
  optional(Type.String({ description, minLength: 1, namesFile: true }))

/** A setting that is such a path, or empty. */
export const fileOrEmpty = Type.String({ namesFile: true })

/** A secret, which is never shown. */
export const secret = (description: string) =>
  optional(Type.String({ description, minLength: 1, writeOnly: true }))

export const texts = (description: string) =>
  optional(Type.Record(Type.String(), Type.String(), { description }))

/** What the flags of a sender mean. */
export const flagQualities = (what: string) =>
  texts(
    `Qualities by the flags that ${what} use, such as 0: good. A quality is good, uncertain or bad, also with a reason (bad: cable cut), or a status code of OPC UA. Default: ${what} have such qualities.`,
  )

export const otherFlags = text(
  'The quality of flags that flags does not name. Default: their records are rejected.',
)

/** What records do to stored ones of the same sensor and instant. */
export const replacement = optional(
  oneOf(REPLACEMENTS, {
    description:
      'What a record does to a stored one of the same sensor and instant. keys: the values that it names are replaced, and the others stay. whole: the whole record is replaced. Default: keys.',
  }),
)

/** A name for logs and metrics. */
export const name = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{1,40}$',
    title: '1 to 40 letters, digits, - or _',
    description: `${description}: 1 to 40 letters, digits, - or _.`,
  })

export const brokerUrl = Type.String({
  pattern: '^(mqtts?|wss?)://[^@/]+(/[^@]*)?$',
  title: 'an address such as mqtts://host:8883, without a user name and a password',
  description:
    'mqtts://host:8883, or mqtt://host:1883 without TLS; without a user name and a password.',
})

export const protocolVersion = optional(
  oneOf([4, 5], { description: 'Version of MQTT: 5, or 4 for MQTT 3.1.1. Default: 5.' }),
)

/** Log-in and TLS of a connection to a broker. */
export const credentials = {
  username: text('User name at the broker.'),
  password: secret('Password; passwordFile keeps it out of this file.'),
  passwordFile: file('File that holds the password.'),
  ca: file('PEM file of the authority that issued the certificate of the broker.'),
  cert: file('PEM file of the client certificate, if the broker requires one.'),
  key: file('PEM file of the private key of the client certificate.'),
}
