import { Type } from 'typebox'
import { GroupConversion } from './site-group-conversion.ts'
import { WaveformSource } from './site-waveform.ts'
import { groupId, id, itemKey, localTime, name, text, uuid } from './site-values.ts'
import { oneOf } from './common.ts'

const closed = { additionalProperties: false }

type Conversion = {
  kind: string
  item?: string
  sensor?: string
  validFrom?: string
  combine?: 'mean' | 'maximum' | 'minimum' | 'sum'
  [parameter: string]: number | string
}

const ConversionFields = Type.Object(
  {
    kind: Type.String({
      description: 'Kind of conversion, for example `linear` or `vibratingWireStrain`.',
      examples: ['linear', 'vibratingWireStrain'],
      minLength: 1,
    }),
    item: Type.Optional(
      itemKey("Key of the item that is computed. Left out: the factor's only item."),
    ),
    sensor: Type.Optional(uuid('The sensor of the raw values. Left out: the first of `sensors`.')),
    validFrom: Type.Optional(
      localTime('Local time from which the parameters apply. Left out: always.'),
    ),
    combine: Type.Optional(
      oneOf(['mean', 'maximum', 'minimum', 'sum'], {
        description:
          'How the results are combined when the conversion is applied to each of `sensors`. Left ' +
          'out: it is applied to one sensor.',
      }),
    ),
  },
  {
    additionalProperties: Type.Union([Type.Number(), Type.String({ minLength: 1 })], {
      description:
        'A parameter of the conversion: a number, a text such as a formula, the key of a raw ' +
        'value, or `<sensor uuid>/<key>` for a raw value of another of `sensors`.',
    }),
    description: 'A conversion of raw values to one item.',
  },
)

const Conversion = Type.Unsafe<Conversion>(ConversionFields)

const Source = Type.Object(
  {
    sensors: Type.Array(uuid('Id of a sensor of the same structure.'), {
      minItems: 1,
      uniqueItems: true,
      description: 'The sensors or nodes of the station.',
    }),
    alignSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        default: 0,
        description:
          'The alignment window: how many seconds apart the instants of several sensors may be to ' +
          'belong together. Default: 0.',
      }),
    ),
    conversion: Type.Optional(
      Type.Union(
        [
          Conversion,
          Type.Array(Conversion, {
            minItems: 1,
            description: 'Several conversions, in any order.',
          }),
        ],
        {
          description:
            'A conversion or a list: one for each item and validity period. Left out: nothing is ' +
            'computed, and the raw data are served with the station.',
        },
      ),
    ),
  },
  {
    ...closed,
    description:
      'The sensors and conversions of a station. Left out: ingest receives its station records.',
  },
)

/** A station and the source of its values. */
export const Station = Type.Object(
  {
    id: id('Station id, unique in the whole service.'),
    name: name('Name of the station.'),
    portrait: Type.Optional(text('Reference of an image of the station.', '')),
    labels: Type.Optional(
      Type.Array(Type.String({ description: 'A label.' }), {
        default: [],
        description: 'Labels, for example the place on the structure.',
      }),
    ),
    groupParams: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.Number(), Type.String(), Type.Boolean()], {
          description: 'The value of the parameter.',
        }),
        {
          default: {},
          description: 'Values of the parameters of its group.',
        },
      ),
    ),
    multiParams: Type.Optional(
      Type.Record(Type.String(), Type.Unknown({ description: 'Any value.' }), {
        description: 'Details of a combination of several sensors, served as they are.',
      }),
    ),
    from: Type.Optional(Source),
    fromWaveform: Type.Optional(WaveformSource),
    camera: Type.Optional(
      id(
        'Id of a camera of the same structure that shows the station. A picture is kept with each of its threshold alarms.',
      ),
    ),
  },
  { ...closed, description: 'A station: a measuring point of a structure for one factor.' },
)

/** A group of stations with its parameters. */
export const Group = Type.Object(
  {
    id: groupId('Group id, unique in the whole service and below 2000000000.'),
    name: name('Name of the group.'),
    typeId: Type.Optional(text('Kind of group, a text for clients.', '0')),
    params: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          { name: text('Name of the parameter.'), unit: Type.Optional(text('Its unit.', '')) },
          { ...closed, description: 'A parameter: its name and unit.' },
        ),
        { default: {}, description: 'Parameters of which each station of the group has a value.' },
      ),
    ),
    conversion: Type.Optional(GroupConversion),
    stations: Type.Optional(
      Type.Array(Station, { default: [], description: 'The stations of the group.' }),
    ),
  },
  { ...closed, description: 'A group of stations of one factor.' },
)
