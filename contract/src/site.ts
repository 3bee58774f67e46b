import { Type, type Static } from 'typebox'
import { Structure } from './site-structure.ts'
import { id, ids, itemKey, name, text, timeZone } from './site-values.ts'

export { ThresholdBatch } from './site-thresholds.ts'

const closed = { additionalProperties: false }

const User = Type.Object(
  {
    id: id('User id; the `userId` in the paths of alarms.'),
    name: name('Name of the user.'),
    structures: Type.Union([Type.Literal('all'), ids('Ids of the structures they may see.')], {
      description: 'What they may see: `all`, or a list of structure ids.',
    }),
  },
  { ...closed, description: 'Someone whose applications read data.' },
)

const named = (what: string) =>
  Type.Object(
    { id: id(`Id of the ${what}.`), name: name(`Name of the ${what}.`) },
    { ...closed, description: `A ${what}.` },
  )

const Factor = Type.Object(
  {
    id: id('Factor id.'),
    name: name('Name of the factor.'),
    structureTypes: Type.Optional(
      ids('Ids of the structure types it is meant for; empty: none. Left out: every type.'),
    ),
    timeDivision: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether its thresholds may differ by time of day.',
      }),
    ),
    items: Type.Array(
      Type.Object(
        {
          id: id('Item id, unique over all factors.'),
          key: itemKey('Key of its values in records, unique within the factor.'),
          name: name('Name of the item.'),
          unit: Type.Optional(text('Its unit.', '')),
          precision: Type.Number({
            exclusiveMinimum: 0,
            description: 'The smallest step that counts, for example 0.01.',
          }),
        },
        { ...closed, description: 'One value that is measured.' },
      ),
      { description: 'What is measured, in order; the first has index 0.' },
    ),
  },
  { ...closed, description: 'Something that can be watched, with its items.' },
)

/** What `plumbline site apply` reads: everything a site consists of. */
export const SiteFile = Type.Object(
  {
    timeZone: Type.Optional(
      timeZone('Time zone of every structure that names none, an IANA name.'),
    ),
    users: Type.Optional(
      Type.Array(User, {
        description:
          'Users and what they may see; who is not in it is removed. Left out: all stay.',
      }),
    ),
    projects: Type.Optional(
      Type.Array(named('project'), { default: [], description: 'Projects.' }),
    ),
    structureTypes: Type.Optional(
      Type.Array(named('structure type'), { default: [], description: 'Types of structures.' }),
    ),
    factors: Type.Optional(
      Type.Array(Factor, { default: [], description: 'The catalogue: what can be watched.' }),
    ),
    structures: Type.Optional(
      Type.Array(Structure, {
        default: [],
        description: 'The structures, each with everything that belongs to it.',
      }),
    ),
  },
  { ...closed, description: 'A site file of Plumbline.' },
)

export type SiteFile = Static<typeof SiteFile>
