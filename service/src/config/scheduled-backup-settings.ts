import { Type } from 'typebox'
import { setting } from './setting.ts'
import { positive, wholeNumber } from './setting-schemas.ts'

/** Settings of the backups that a running service makes by itself. */
export const SCHEDULED_BACKUP_SETTINGS = {
  'backup.to': setting({
    schema: Type.String({
      pattern: String.raw`^(|/.*|[A-Za-z]:[\\/].*|\\\\.*)$`,
      title: 'an absolute path',
    }),
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
} as const
