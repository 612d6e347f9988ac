#include "CHTTPParser.h"
