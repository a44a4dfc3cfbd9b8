/** The search and its filters, in English. */
export const search = {
  'search.moments': 'What was said',
  'search.found': { one: '{count} result', other: '{count} results' },
  'search.score': '{share} match',
  'search.nothing': 'Nothing was found for “{query}”.',
  'search.nothingHint': 'Try other words. The search understands meaning as well: “budget” also finds “spending plan”.',
  'search.nothingFits': 'The filters may leave out what you are looking for.',
  'search.failed': 'The search did not work. Try again.',
  'search.filters': 'Filters',
  'search.active': 'Active filters',
  'search.removeAll': 'Remove all filters',
  'search.apply': 'Apply',
  'search.speaker': 'Speaker',
  'search.speakerHint': 'The name that you gave in the transcript.',
  'search.from': 'Added from',
  'search.to': 'Added until',
  'search.daysWrong': 'This day is before the first one.',
  'search.source': 'Source',
  'search.sourceHint': 'The web address that the recording came from.'
}
