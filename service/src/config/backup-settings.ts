import { Type } from 'typebox'
import { setting } from './setting.ts'
import { wholeNumber } from './setting-schemas.ts'

/** Settings of copies of the data folder. */
export const BACKUP_SETTINGS = {
  'backup.continuous.to': setting({
    schema: Type.String(),
    default: '',
    description:
      'Folder on another disk, or of another host, that gets a continuous copy of the data folder (docs/continuous-copy.md). It has to exist, and holds secrets. Empty: no such copy.',
  }),
  'backup.continuous.seconds': setting({
    schema: wholeNumber(1, 60),
    default: 10,
    description:
      'Seconds between two pieces of the continuous copy: what may be lost when the data folder is lost, and how exactly a moment can be restored.',
  }),
  'backup.continuous.keepDays': setting({
    schema: Type.Number({ minimum: 0, maximum: 3650, unit: 'days' }),
    default: 7,
    description: 'Days back to which a moment can be restored from the continuous copy.',
  }),
} as const
