import { access } from './access.ts'
import { accounts } from './accounts.ts'
import { alarmLists } from './alarm-lists.ts'
import { alarms } from './alarms.ts'
import { background } from './background.ts'
import { changes } from './changes.ts'
import { console } from './console.ts'
import { devices } from './devices.ts'
import { notifications } from './notifications.ts'
import { records } from './records.ts'
import { rejects } from './rejects.ts'
import { sealedDays } from './sealed-days.ts'
import { site } from './site.ts'
import { snapshots } from './snapshots.ts'
import { traffic } from './traffic.ts'
import { waveforms } from './waveforms.ts'
import type { Migration } from '../../../migration.ts'

export const initial: Migration = {
  name: '001-initial',
  does: 'makes the tables',
  statements: [
    ...site,
    ...access,
    ...accounts,
    ...records,
    ...sealedDays,
    ...traffic,
    ...waveforms,
    ...alarms,
    ...alarmLists,
    ...snapshots,
    ...devices,
    ...notifications,
    ...console,
    ...rejects,
    ...changes,
    ...background,
  ],
}
