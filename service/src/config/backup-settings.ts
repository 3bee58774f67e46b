import { Type } from 'typebox'
import { setting } from './setting.ts'
import { positive, wholeNumber } from './setting-schemas.ts'

/** The working directory of a service is rarely known to whoever writes its settings. */
const absolutePath = Type.String({
  pattern: String.raw`^(|/.*|[A-Za-z]:[\\/].*|\\\\.*)$`,
  title: 'an absolute path',
})

/** Settings of the backups and of the continuous copy that a running service makes by itself. */
export const BACKUP_SETTINGS = {
  'backup.to': setting({
    schema: absolutePath,
    default: '',
    description:
      'Folder that gets the backups of a running service, outside the data folder, best on another disk; an absolute path. Its parent has to exist. Empty: only "plumbline backup" makes backups.',
  }),
  'backup.everyHours': setting({
    schema: positive(8760, 'hours'),
    default: 24,
    description: 'Hours between two backups to backup.to.',
  }),
  'backup.keep': setting({
    schema: wholeNumber(1, 10_000),
    default: 14,
    description: 'Backups that are kept in backup.to; older ones are removed after each new one.',
  }),
  'backup.verifyEveryDays': setting({
    schema: Type.Number({ minimum: 0, maximum: 3650, unit: 'days' }),
    default: 7,
    description:
      'Days after which what is stored in backup.to is read again and compared with its checksums; what is damaged is copied anew. 0: never.',
  }),
  'backup.continuous.to': setting({
    schema: absolutePath,
    default: '',
    description:
      'Folder on another disk, or of another host, that gets a continuous copy of the data folder (docs/continuous-copy.md); an absolute path. It has to exist, and holds secrets. Empty: no such copy.',
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
