/** What was entered for the next import; it stays while other pages are shown. */
class Draft {
  files = $state.raw<readonly File[]>([])
  mapping = $state('')
  members = $state('')
  replace = $state<'mapping' | 'keys' | 'whole'>('mapping')
}

export const draft = new Draft()
