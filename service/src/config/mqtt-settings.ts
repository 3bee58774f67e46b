import { Type, type Static, type TSchemaOptions } from 'typebox'

const closed = { additionalProperties: false }
const text = (description: string) => Type.Optional(Type.String({ description, minLength: 1 }))
const texts = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.String(), { description }))
const choice = <Value extends string | number>(values: readonly Value[], options: TSchemaOptions) =>
  Type.Optional(Type.Unsafe<Value>(Type.Enum([...values], options)))

export type TopicSettings = Static<typeof TopicSettings>
/** How the messages of some topics are read. */
export const TopicSettings = Type.Object(
  {
    topic: Type.String({
      minLength: 1,
      description: 'Topic filter; a level in braces is named: site/{sensor}/{key}.',
    }),
    preset: choice(['tsValues', 'valuePerTopic', 'sensorTimeValues'], {
      description:
        'tsValues: {"ts": ms, "values": {…}} under a topic with {sensor}. valuePerTopic: a bare number under a topic with {sensor} and {key}. sensorTimeValues: {"sensor", "time", "values"}.',
    }),
    records: text(
      'Path to the records of a message, such as $.readings[*]; left out: the message.',
    ),
    sensor: text(
      'Where the sensor stands: $.path in the message, @.path in the record, or {level}.',
    ),
    time: text('Where the time stands, or arrival.'),
    timeUnit: choice(['seconds', 'milliseconds', 'microseconds', 'nanoseconds'], {
      description: 'Of a time that is a number; left out: milliseconds.',
    }),
    values: text('Where an object of values by item key stands.'),
    fields: texts('Or where each value stands, by item key.'),
    key: text('Or, of a record with one value, where its item key stands.'),
    value: text('And where its value stands.'),
    sensors: texts('Sensor ids by the names that messages use.'),
    items: texts('Item keys by the names that messages use; the empty text leaves a value out.'),
    booleans: choice(['refuse', 'numbers'], { description: 'What becomes of true and false.' }),
    merge: Type.Optional(
      Type.Boolean({
        description: 'Whether messages of one sensor and time complete each other.',
      }),
    ),
  },
  closed,
)

export type LineProtocolSettings = Static<typeof LineProtocolSettings>
/** How points of a measurement are read. */
export const LineProtocolSettings = Type.Object(
  {
    measurement: text('Left out: every measurement.'),
    sensor: text('Where the sensor stands: {tag} is the value of a tag, {measurement} itself.'),
    sensors: texts('Sensor ids by the names that points use.'),
    items: texts('Item keys by field keys; the empty text leaves a field out.'),
    booleans: choice(['refuse', 'numbers'], { description: 'What becomes of true and false.' }),
  },
  closed,
)

export type MqttSettings = Static<typeof MqttSettings>
/** A broker whose messages are taken in. */
export const MqttSettings = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,40}$',
      description: 'Its name in logs, metrics and rejects: letters, digits, - and _.',
    }),
    url: Type.String({
      pattern: '^(mqtts?|wss?)://[^@/]+(/[^@]*)?$',
      description: 'mqtts://host:8883, or mqtt:// without TLS; no name or password in it.',
    }),
    version: choice([4, 5], { description: '5 (default), or 4 for MQTT 3.1.1.' }),
    clientId: text(
      'Left out: plumbline-<name>. The broker keeps the session by it. Instances that share messages need one each, others the same.',
    ),
    username: text('Name at the broker.'),
    password: text('Password; better kept in a file.'),
    passwordFile: text('File that holds the password.'),
    ca: text('PEM file of the authority that the broker’s certificate is checked against.'),
    cert: text('PEM file of our own certificate, where the broker asks for one.'),
    key: text('PEM file of its private key.'),
    sharedGroup: text('Group of a shared subscription; left out with one connection: none.'),
    connections: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description: 'So many connections share the messages; left out: 1.',
      }),
    ),
    sessionExpirySeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 0xffff_ffff,
        description:
          'How long an MQTT 5 broker keeps messages while we are away; left out: 7 days.',
      }),
    ),
    subscriptions: Type.Array(TopicSettings, {
      minItems: 1,
      description: 'Topics; the first that means a message says how it is read.',
    }),
  },
  closed,
)
