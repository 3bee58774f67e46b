import { Type } from 'typebox'
import { GroupConversion } from './site-group-conversion.ts'
import { WaveformSource } from './site-waveform.ts'
import { groupId, id, itemKey, localTime, name, text, uuid } from './site-values.ts'

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
      description: 'What is computed, for example `linear` or `vibratingWireStrain`.',
      examples: ['linear', 'vibratingWireStrain'],
      minLength: 1,
    }),
    item: Type.Optional(
      itemKey("Key of the factor's item that is computed. Left out: the factor's only item."),
    ),
    sensor: Type.Optional(uuid('The sensor that is read. Left out: the first of `sensors`.')),
    validFrom: Type.Optional(
      localTime('Local time from which these parameters hold. Left out: always.'),
    ),
    combine: Type.Optional(
      Type.Enum(['mean', 'maximum', 'minimum', 'sum'], {
        description:
          'What is made of the values when the conversion is applied to each of `sensors`. ' +
          'Left out: it is applied to one.',
      }),
    ),
  },
  {
    additionalProperties: Type.Union([Type.Number(), Type.String({ minLength: 1 })], {
      description:
        'A parameter of the conversion: a number, a text such as a formula, the key of a raw ' +
        'value, or `<sensor uuid>/<key>` for one of another of `sensors`.',
    }),
    description: 'How one item is computed from raw values.',
  },
)

const Conversion = Type.Unsafe<Conversion>(ConversionFields)

const Source = Type.Object(
  {
    sensors: Type.Array(uuid('Id of a sensor of the same structure.'), {
      minItems: 1,
      uniqueItems: true,
      description: 'The sensors, or nodes, that feed the station.',
    }),
    alignSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        default: 0,
        description:
          'How many seconds apart values of several sensors may lie to belong together, your ' +
          'choice. Left out: 0, the same instant.',
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
            'One conversion or a list: one per item, and one more for each time parameters ' +
            'changed. Left out: the raw values are shown with the station, nothing is computed.',
        },
      ),
    ),
  },
  { ...closed, description: "Where a station's values come from. Left out: they arrive ready." },
)

/** A measurement point, and where its values come from. */
export const Station = Type.Object(
  {
    id: id('Station id, unique in the whole service.'),
    name: name('Name of the station.'),
    portrait: Type.Optional(text('Image that shows where the station is.', '')),
    labels: Type.Optional(
      Type.Array(Type.String({ description: 'A label.' }), {
        default: [],
        description: 'Free labels, for example the place on the structure.',
      }),
    ),
    groupParams: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.Number(), Type.String(), Type.Boolean()], {
          description: "The station's value of this parameter.",
        }),
        {
          default: {},
          description: "The station's values of the parameters that its group defines.",
        },
      ),
    ),
    multiParams: Type.Optional(
      Type.Record(Type.String(), Type.Unknown({ description: 'Any value.' }), {
        description: 'Free details of a combination of several sensors.',
      }),
    ),
    from: Type.Optional(Source),
    fromWaveform: Type.Optional(WaveformSource),
  },
  { ...closed, description: 'A measurement point.' },
)

/** Stations that are grouped, with the parameters they share. */
export const Group = Type.Object(
  {
    id: groupId('Group id, unique in the whole service and below 2000000000.'),
    name: name('Name of the group.'),
    typeId: Type.Optional(text('Kind of group, a text that clients understand.', '0')),
    params: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          { name: text('Name of the parameter.'), unit: Type.Optional(text('Its unit.', '')) },
          { ...closed, description: 'A parameter: its name and unit.' },
        ),
        { default: {}, description: 'Parameters that each station of the group has a value of.' },
      ),
    ),
    conversion: Type.Optional(GroupConversion),
    stations: Type.Optional(
      Type.Array(Station, { default: [], description: 'The stations of the group.' }),
    ),
  },
  { ...closed, description: 'Stations that belong together.' },
)
