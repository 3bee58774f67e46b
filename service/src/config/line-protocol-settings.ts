import { Type, type Static } from 'typebox'
import {
  closed,
  flagQualities,
  optional,
  otherFlags,
  replacement,
  text,
  texts,
} from './setting-schemas.ts'
import { oneOf } from '@plumbline/contract'

export type LineProtocolSettings = Static<typeof LineProtocolSettings>
/** A mapping of the points of a measurement to records. */
export const LineProtocolSettings = Type.Object(
  {
    measurement: text('The measurement that this entry reads. Default: every measurement.'),
    sensor: text(
      'The sensor, as a text in which {tag} stands for the value of that tag and {measurement} for the measurement. Default: {sensor}.',
    ),
    sensors: texts('Sensor ids by the names that points use.'),
    items: texts('Item keys by field keys. An empty item key skips the field.'),
    units: texts(
      'Units of values by item key, where they are not those of the items, such as °F: the values are converted.',
    ),
    quality: text(
      'The field or tag that holds the quality of the values of a point, such as Quality of the OPC UA input of Telegraf. Default: none, the values are good.',
    ),
    flags: flagQualities('points'),
    otherwise: otherFlags,
    booleans: optional(
      oneOf(['refuse', 'numbers'], {
        description: 'Whether true and false are refused or read as 1 and 0. Default: refuse.',
      }),
    ),
    replace: replacement,
  },
  closed,
)
