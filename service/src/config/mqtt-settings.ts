import { Type, type Static } from 'typebox'
import {
  brokerUrl,
  closed,
  credentials,
  flagQualities,
  name,
  optional,
  otherFlags,
  protocolVersion,
  replacement,
  text,
  texts,
} from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

export type TopicSettings = Static<typeof TopicSettings>
/** A mapping of the messages of topics to records; members that are left out come from the preset. */
export const TopicSettings = Type.Object(
  {
    topic: Type.String({
      minLength: 1,
      description: 'Topic filter. A level in braces has a name: site/{sensor}/{key}.',
    }),
    preset: optional(
      oneOf(['tsValues', 'valuePerTopic', 'sensorTimeValues'], {
        description:
          'Defaults for the members below. tsValues: {"ts": ms, "values": {…}} on a topic with {sensor}. valuePerTopic: a bare number on a topic with {sensor} and {key}. sensorTimeValues: {"sensor", "time", "values"}.',
      }),
    ),
    records: text('Path to the records of a message, such as $.readings[*]. Default: the message.'),
    sensor: text('The sensor: $.path in the message, @.path in the record, or {level}.'),
    time: text('The time: a path, or arrival. Default: arrival.'),
    timeUnit: optional(
      oneOf(['seconds', 'milliseconds', 'microseconds', 'nanoseconds'], {
        description: 'Unit of a time that is a number. Default: milliseconds.',
      }),
    ),
    values: text('Path to an object of values by item key.'),
    fields: texts('Instead of values: the path to each value, by item key.'),
    key: text('For a record with one value: its item key.'),
    value: text('For a record with one value: the path to it.'),
    quality: text(
      'The quality of the values: a path to one for all of them, or to an object of qualities by item key. Default: none, the values are good; with tsValues and sensorTimeValues: @.quality.',
    ),
    qualities: texts('Instead of quality: the path to the quality of each value, by item key.'),
    flags: flagQualities('messages'),
    otherwise: otherFlags,
    sensors: texts('Sensor ids by the names that messages use.'),
    items: texts('Item keys by the names that messages use. An empty item key skips the value.'),
    units: texts(
      'Units of values by item key, where they are not those of the items, such as °F: the values are converted.',
    ),
    booleans: optional(
      oneOf(['refuse', 'numbers'], {
        description: 'Whether true and false are refused or read as 1 and 0. Default: refuse.',
      }),
    ),
    empty: optional(
      oneOf(['refuse', 'ignore'], {
        description:
          'Whether a record without any value is rejected, or ignored, as uplinks by which LoRaWAN devices only keep in touch. Default: refuse.',
      }),
    ),
    replace: replacement,
    merge: optional(
      Type.Literal(true, {
        title: 'true or nothing; messages that replace records whole have replace: whole',
        description: 'Without effect: messages complete each other unless replace is whole.',
      }),
    ),
  },
  closed,
)

export type MqttSettings = Static<typeof MqttSettings>
/** An MQTT broker as a data source. */
export const MqttSettings = Type.Object(
  {
    name: name('Name of the source in logs, metrics and rejects'),
    url: brokerUrl,
    version: protocolVersion,
    clientId: text(
      'Client id, by which the broker keeps the session. Default: plumbline-<name>. Instances that share messages need one each; otherwise they use the same.',
    ),
    ...credentials,
    sharedGroup: text(
      'Group of a shared subscription. Default: none with one connection, otherwise plumbline-<name>.',
    ),
    connections: optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        description: 'Connections that share the messages. Default: 1.',
      }),
    ),
    sessionExpirySeconds: optional(
      Type.Integer({
        minimum: 0,
        maximum: 0xffff_ffff,
        unit: 'seconds',
        description:
          'Seconds that an MQTT 5 broker keeps messages while the service is not connected. Default: 604800.',
      }),
    ),
    subscriptions: Type.Array(TopicSettings, {
      minItems: 1,
      description: 'Topics. The first entry that matches the topic of a message applies.',
    }),
  },
  closed,
)
