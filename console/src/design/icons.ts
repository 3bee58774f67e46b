/** Lines of 1.5 on a grid of 20. */
export const ICONS = {
  overview: 'M3 5l5-2 4 2 5-2v12l-5 2-4-2-5 2zM8 3v12M12 5v12',
  structure: 'M2 14h16M4 14v-4M16 14v-4M2 10c5 0 5-5 8-5s3 5 8 5M7 14V7.5M13 14V7.5M10 14V5',
  station: 'M2 12h3l2-6 4 10 3-7 1 3h3',
  vibration: 'M2 10h2l1-4 2 9 2-12 2 14 2-10 2 6 1-3h2',
  traffic:
    'M2 13V6h9v7M11 8h4l3 3v2M2 13h2m4 0h4m4 0h2M4 13a2 2 0 104 0 2 2 0 10-4 0M12 13a2 2 0 104 0 2 2 0 10-4 0',
  alarms: 'M5 14V9a5 5 0 0110 0v5l1.5 1.5h-13zM8.5 17.5h3',
  thresholds: 'M3 5h14M3 15h14M4 12l3-3 3 2 5-4',
  cameras: 'M2 6h11v9H2zM13 9l5-3v9l-5-3',
  operate: 'M3 6h8M15 6h2M11 4v4M3 14h2M9 14h8M7 12v4',
  accounts:
    'M7 9a3 3 0 100-6 3 3 0 000 6M2 17c0-4 2-6 5-6s5 2 5 6M13 9a2.5 2.5 0 100-5M14 11c2.5.3 4 2.5 4 6',
  account: 'M10 10a3.5 3.5 0 100-7 3.5 3.5 0 000 7M3.5 17c.5-4 3-5.5 6.5-5.5s6 1.5 6.5 5.5',
  audit: 'M5 2h7l3 3v13H5zM8 8h4M8 11h4M8 14h3',
  close: 'M5 5l10 10M15 5L5 15',
  check: 'M4 10.5l4 4 8-9',
  down: 'M5 8l5 5 5-5',
  up: 'M5 12l5-5 5 5',
  left: 'M12 5l-5 5 5 5',
  right: 'M8 5l5 5-5 5',
  more: 'M4 10h.01M10 10h.01M16 10h.01',
  search: 'M9 14A5 5 0 109 4a5 5 0 000 10M12.5 12.5L17 17',
  plus: 'M10 4v12M4 10h12',
  warning: 'M10 3l8 14H2zM10 8v4M10 14.5v.01',
  download: 'M10 3v9M6 9l4 4 4-4M3 16h14',
  upload: 'M10 13V4M6 7l4-4 4 4M3 16h14',
  reload: 'M16 10a6 6 0 11-2-4.5M16 3v4h-4',
  picture: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M12 8h.01',
  table: 'M3 4h14v12H3zM3 8h14M3 12h14M9 4v12',
  sun: 'M10 13a3 3 0 100-6 3 3 0 000 6M10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5l1.5 1.5M14 14l1.5 1.5M4.5 15.5L6 14M14 6l1.5-1.5',
  play: 'M6 4l10 6-10 6z',
  pause: 'M7 4v12M13 4v12',
  edit: 'M3 17l1-4L14 3l3 3L7 16z',
  link: 'M8 12l4-4M7 9l-2 2a3 3 0 004 4l2-2M13 11l2-2a3 3 0 00-4-4l-2 2',
} as const

export type IconName = keyof typeof ICONS
