// Device code: there is no errno.
#pragma once
