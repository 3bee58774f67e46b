import { en as applications } from './applications/en.ts'
import { en as imports } from './imports/en.ts'
import { en as intake } from './intake/en.ts'
import { en as maintenance } from './maintenance/en.ts'
import { en as notifications } from './notifications/en.ts'
import { en as rejects } from './rejects/en.ts'
import { en as site } from './site/en.ts'
import { en as status } from './status/en.ts'

export const en = {
  title: 'Operate',
  zone: (zone: string) => `Times of ${zone}`,
  parts: {
    status: 'Status',
    intake: 'Data sources',
    rejects: 'Rejected records',
    imports: 'Imports',
    notifications: 'Notifications',
    maintenance: 'Maintenance',
    site: 'Site file',
    applications: 'Applications',
    keys: 'Ingest keys',
  },
  older: 'Show older ones',
  applications,
  imports,
  intake,
  maintenance,
  notifications,
  rejects,
  site,
  status,
}
