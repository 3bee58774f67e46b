import { Type, type Static } from 'typebox'
import { oneOf } from './common.ts'

export type ValueQuality = Static<typeof ValueQuality>
/** The quality of a value that is not simply good. */
export const ValueQuality = Type.Object({
  quality: oneOf(['good', 'uncertain', 'bad']),
  reason: Type.String({ description: 'A code or words; empty where nobody said why.' }),
  origin: oneOf(['sender', 'rule', 'person', 'input'], {
    description:
      'Who says so: the sender of the record, a rule of a threshold batch, a person, or the raw values behind it.',
  }),
  value: Type.Optional(
    Type.Number({ description: 'The number of a bad value, which is not among the values.' }),
  ),
})
